// Runs before anything is drawn, so that a dark page never flashes white.
(() => {
  let theme = 'system';
  try {
    theme = JSON.parse(localStorage.getItem('beckon.preferences') ?? '{}').theme ?? 'system';
  } catch {}
  const isDark =
    theme === 'dark' || (theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
})();
