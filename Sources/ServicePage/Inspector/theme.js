/**
 * Toggles light and dark; the choice is stored for the next visit, with the system's theme as
 * default.
 */
export function chooseTheme(button) {
  const root = document.documentElement;
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const apply = (theme) => {
    if (theme) root.dataset.theme = theme;
    else delete root.dataset.theme;
    const isDark = theme ? theme === 'dark' : dark.matches;
    button.ariaLabel = isDark ? 'Use light colours' : 'Use dark colours';
    return isDark;
  };
  let isDark = apply(localStorage.getItem('layoutcache-theme'));
  button.addEventListener('click', () => {
    const theme = isDark ? 'light' : 'dark';
    // The system's theme is not stored.
    if ((theme === 'dark') === dark.matches) localStorage.removeItem('layoutcache-theme');
    else localStorage.setItem('layoutcache-theme', theme);
    isDark = apply(localStorage.getItem('layoutcache-theme'));
  });
  dark.addEventListener('change', () => {
    isDark = apply(localStorage.getItem('layoutcache-theme'));
  });
}
