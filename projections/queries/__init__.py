"""Named queries: every figure that people see, as data. The page, Grafana and the command line all ask these."""
