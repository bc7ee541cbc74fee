"""Pictures of one megapixel, drawn from a seed; one family of scenes a module, ``kinds`` lists them."""
