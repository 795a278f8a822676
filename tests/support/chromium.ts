import { type Browser, chromium } from 'playwright-core'

type Options = {
  /** Keeps pages that were left for going back to them, as browsers do for people. */
  keepsPages?: boolean
}

/** Starts the system's Chromium, without a window. It runs as root, too, and asks nobody outside this machine. */
export async function startChromium({ keepsPages = false }: Options = {}): Promise<Browser> {
  const names = ['chromium', 'chromium-browser', 'google-chrome']
  const executablePath = names.map((name) => Bun.which(name)).find((path) => path !== null)
  if (!executablePath) throw new Error('There is no Chromium on the PATH.')
  // Text in greys: its coloured edges would double the size of pictures.
  const args = ['--no-sandbox', '--disable-background-networking', '--disable-lcd-text']
  const ignoreDefaultArgs = keepsPages ? ['--disable-back-forward-cache'] : []
  return await chromium.launch({ executablePath, args, ignoreDefaultArgs })
}
