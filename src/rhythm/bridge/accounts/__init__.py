"""Accounts: health records over vendors' own interfaces, with the person's own key or app."""
