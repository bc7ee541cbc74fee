"""The only package that touches a socket towards a measured service; its contract is the measuring seam."""
