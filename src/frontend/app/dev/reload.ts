// In development only: the page names the files of its build, and is loaded again once it names others.
const page = async (): Promise<string | null> => (await fetch('/').catch(() => null))?.text() ?? null

const first = await page()
setInterval(async () => {
  const now = await page()
  if (now !== null && now !== first) location.reload()
}, 1_000)

export {}
