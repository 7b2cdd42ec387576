"""Wearables: device and phone exports to one record, each source declaring what it delivers."""
