// Runs before the first paint, so that a chosen theme does not flash.
try {
  const theme = localStorage.getItem("messwerk-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Storage is denied in some private windows: the system's preference stands.
}
