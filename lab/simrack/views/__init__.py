"""One module per tool: renders the state in the layout that the real tool prints."""
