const CLEAR_AFTER_MS = 60_000
const WAIT_MS = 300

/** The secret that was copied last, and may still be on the clipboard. */
let copied: string | null = null

/** Takes a copied secret off the clipboard after a minute, unless something else has been copied meanwhile. */
export function clearLater(text: string): void {
  copied = text
  setTimeout(() => {
    if (copied !== text) return
    if (document.hasFocus()) void clearCopied()
    // Browsers let no page in the background at the clipboard.
    else window.addEventListener('focus', () => void clearCopied(), { once: true })
  }, CLEAR_AFTER_MS)
}

/** Takes a copied secret off the clipboard now. Ends soon, also where the browser asks its user first. */
export async function clearCopied(): Promise<void> {
  const text = copied
  if (text === null) return
  copied = null
  const clear = async () => {
    const current = await navigator.clipboard.readText().catch(() => null)
    // Where the browser forbids reading, nothing tells what is there now: it is cleared rather than kept.
    if (current === null || current === text) await navigator.clipboard.writeText('').catch(() => {})
  }
  await Promise.race([clear(), new Promise((resolve) => setTimeout(resolve, WAIT_MS))])
}
