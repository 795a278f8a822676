type Act = { label: string; onClick: () => void }

/** What a toast says, and the one act that it may offer. */
export type ToastMessage = { sentence: string; act: Act | undefined }

// What shows toasts is loaded after the first page: until then they wait here.
const waiting: ToastMessage[] = []
let show: ((message: ToastMessage) => void) | null = null

/** Says that something was done, with at most one act, such as Undo. */
export function toast(sentence: string, act?: Act): void {
  if (show === null) waiting.push({ sentence, act })
  else show({ sentence, act })
}

/** Gives each toast to what shows it, those that wait first. */
export function onToast(listener: (message: ToastMessage) => void): () => void {
  show = listener
  for (const message of waiting.splice(0)) listener(message)
  return () => {
    show = null
  }
}
