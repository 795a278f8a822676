/** What a mail says, whatever it looks like. What people typed is put in with `typed`. */
export type Letter = Readonly<{
  subject: string
  /** The sentences before the button, a paragraph each. */
  opening: readonly string[]
  /** A button; its address is also written out. `hint` leads to it. */
  action?: Readonly<{ hint: string; label: string; url: string }>
  /** The sentences at the end: what to do if the mail was not expected. */
  closing: readonly string[]
}>

/**
 * A text that somebody typed, such as the name of an organisation, in quotation marks: so that it is not taken for a
 * sentence of the service. What would break the line, or turn its direction, is left out.
 */
export const typed = (text: string): string => `“${oneLine(text).replace(/[“”]/g, '"')}”`

/** A text without line breaks and other characters that can't be seen: a header, or a paragraph, is one line. */
export const oneLine = (text: string): string => text.replace(UNSEEN, ' ').replace(/ {2,}/g, ' ').trim()

/** The letter as plain text: paragraphs, and the address of the button on a line of its own. */
export const textOf = ({ opening, action, closing }: Letter): string =>
  [...opening, ...(action === undefined ? [] : [action.hint, action.url]), ...closing]
    .map(oneLine)
    .join('\n\n')

// Joiners are kept, which some scripts need.
const UNSEEN = /(?![\u200C\u200D])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu
