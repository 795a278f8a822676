/** Whether an Accept or Accept-Encoding header names this value by itself, and not with `q=0`. */
export const accepts = (header: string | null, value: string): boolean =>
  new RegExp(`(?:^|,)\\s*${value}\\s*(?:,|;(?!\\s*q=0(?:\\.0*)?\\s*(?:,|$))|$)`, 'i').test(header ?? '')

/** Whether a page is asked for by its type: browsers do so where somebody opens an address, and not for scripts or data. */
export const wantsPage = ({ headers }: Request): boolean => accepts(headers.get('accept'), 'text/html')
