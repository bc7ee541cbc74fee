"""Seeded generators of long source matter, one kind a module; ``kinds`` lists them."""
