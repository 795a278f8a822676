import type { Letter } from './letter.ts'

const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"

// No character that HTML would escape may be in it. Programs that know no dark mode show the inline colours.
const DARK = `
:root { color-scheme: light dark; supported-color-schemes: light dark; }
@media (prefers-color-scheme: dark) {
  .page { background-color: #111110 !important; }
  .sheet { background-color: #1f1f1d !important; border-color: #2b2b28 !important; }
  .ink { color: #edece7 !important; }
  .quiet { color: #b3b0a7 !important; }
  .address { color: #a3b4ff !important; }
  .button { background-color: #4d68dc !important; color: #ffffff !important; }
}`

const STYLES = {
  page: { backgroundColor: '#f7f6f3', margin: 0, padding: '32px 12px', fontFamily: FONT },
  sheet: {
    backgroundColor: '#ffffff',
    border: '1px solid #e7e5df',
    borderRadius: '8px',
    maxWidth: '560px',
    margin: '0 auto',
    width: '100%',
  },
  cell: { padding: '28px 32px' },
  mark: { color: '#55524b', fontSize: '13px', fontWeight: 600, lineHeight: '20px', margin: '0 0 20px' },
  title: { color: '#1c1b18', fontSize: '19px', fontWeight: 600, lineHeight: '26px', margin: '0 0 16px' },
  text: { color: '#1c1b18', fontSize: '15px', lineHeight: '23px', margin: '0 0 14px' },
  link: { margin: '0 0 14px' },
  button: {
    backgroundColor: '#3450c8',
    borderRadius: '5px',
    color: '#ffffff',
    display: 'inline-block',
    fontSize: '15px',
    fontWeight: 600,
    lineHeight: '20px',
    padding: '10px 18px',
    textDecoration: 'none',
  },
  address: { color: '#2f4cc4', fontSize: '13px', lineHeight: '20px', wordBreak: 'break-all' },
  quiet: { color: '#55524b', fontSize: '13px', lineHeight: '20px', margin: '0 0 10px' },
  preview: { display: 'none', maxHeight: 0, maxWidth: 0, opacity: 0, overflow: 'hidden' },
} as const

/** A letter as a page of HTML: the one look of every mail. It needs no picture and no font from elsewhere. */
export const LetterPage = ({ subject, opening, action, closing }: Letter) => (
  <html lang="en" dir="ltr">
    <head>
      <meta charSet="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <meta name="supported-color-schemes" content="light dark" />
      <meta name="x-apple-disable-message-reformatting" />
      <title>{subject}</title>
      <style>{DARK}</style>
    </head>
    <body className="page" style={STYLES.page}>
      <div style={STYLES.preview}>{opening[0]}</div>
      <table className="sheet" style={STYLES.sheet} role="presentation" align="center" cellSpacing={0}>
        <tbody>
          <tr>
            <td style={STYLES.cell}>
              <p className="quiet" style={STYLES.mark}>
                Keyward
              </p>
              <h1 className="ink" style={STYLES.title}>
                {subject}
              </h1>
              {opening.map((sentence) => (
                <p key={sentence} className="ink" style={STYLES.text}>
                  {sentence}
                </p>
              ))}
              {action && <Action {...action} />}
              {closing.map((sentence) => (
                <p key={sentence} className="quiet" style={STYLES.quiet}>
                  {sentence}
                </p>
              ))}
            </td>
          </tr>
        </tbody>
      </table>
    </body>
  </html>
)

const Action = ({ hint, label, url }: NonNullable<Letter['action']>) => (
  <>
    <p className="ink" style={STYLES.text}>
      {hint}
    </p>
    <p style={STYLES.link}>
      <a className="button" href={url} style={STYLES.button}>
        {label}
      </a>
    </p>
    <p style={STYLES.link}>
      <a className="address" href={url} style={STYLES.address}>
        {url}
      </a>
    </p>
  </>
)
