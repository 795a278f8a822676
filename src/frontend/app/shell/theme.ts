type Theme = 'light' | 'dark'

const KEY = 'keyward-theme'

/** The theme that is shown: the chosen one, or else the system's. */
export function currentTheme(): Theme {
  const chosen = localStorage.getItem(KEY)
  if (chosen === 'light' || chosen === 'dark') return chosen
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
}

/** Shows the chosen theme; without a choice the system's stays. */
export function applyTheme(): void {
  const chosen = localStorage.getItem(KEY)
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen
}

/** Switches between light and dark, and remembers it in this browser. */
export function switchTheme(): void {
  localStorage.setItem(KEY, currentTheme() === 'dark' ? 'light' : 'dark')
  applyTheme()
}

/** What somebody has chosen in this browser. */
export type ThemeChoice = Theme | 'system'

/** The theme that was chosen in this browser, or that of the system. */
export function chosenTheme(): ThemeChoice {
  const chosen = localStorage.getItem(KEY)
  return chosen === 'light' || chosen === 'dark' ? chosen : 'system'
}

/** Shows a theme from now on, or follows the system again. */
export function chooseTheme(choice: ThemeChoice): void {
  if (choice === 'system') {
    localStorage.removeItem(KEY)
    delete document.documentElement.dataset.theme
  } else {
    localStorage.setItem(KEY, choice)
    applyTheme()
  }
}
