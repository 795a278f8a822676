type Act = { label: string; onClick: () => void }

/** What a toast says, the one act that it may offer, and of what it speaks: a newer one of the same takes its place. */
export type ToastMessage = { sentence: string; act: Act | undefined; about: string | undefined }

// What shows toasts is loaded after the first page: until then they wait here.
const waiting: ToastMessage[] = []
let show: ((message: ToastMessage) => void) | null = null

/** Says that something was done, with at most one act, such as Undo. What was said about the same thing goes. */
export function toast(sentence: string, act?: Act, about?: string): void {
  const message = { sentence, act, about }
  if (show === null) waiting.push(message)
  else show(message)
}

/** Gives each toast to what shows it, those that wait first. */
export function onToast(listener: (message: ToastMessage) => void): () => void {
  show = listener
  for (const message of waiting.splice(0)) listener(message)
  return () => {
    show = null
  }
}
