/** Whether each word of a text stands in a label or begins one of the words beside it. */
export function isFound({ label, words = '' }: { label: string; words?: string }, text: string): boolean {
  const name = label.toLocaleLowerCase()
  const others = words.split(' ')
  return wordsOf(text).every((word) => name.includes(word) || others.some((other) => other.startsWith(word)))
}

/** The words of a text, in small letters. */
export const wordsOf = (text: string): string[] => text.toLocaleLowerCase().split(/\s+/).filter(Boolean)
