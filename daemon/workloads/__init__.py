"""What is sent: each workload makes prompts from a seed; a registry names them."""
