import { render } from '@react-email/render'
import type { Letter } from './letter.ts'
import { LetterPage } from './letter-page.tsx'

/** The letter as HTML. Import this file when a mail is sent, and not before: it loads React. */
export const htmlOf = (letter: Letter): Promise<string> => render(<LetterPage {...letter} />)
