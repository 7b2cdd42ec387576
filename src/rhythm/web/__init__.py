"""Pages and JSON API over the assistant: `rhythm.web.app.create_app` makes them."""
