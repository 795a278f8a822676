import { type ChangeEvent, type RefObject, useRef, useState } from 'react'

/** What is wrong with a value, as a sentence; null when nothing is. */
export type FieldRule = (value: string) => string | null

type Bound = {
  name: string
  value: string
  onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => void
  onBlur: () => void
}

/** The values of a form with their faults. A value is checked when its field is left, and all of them at `check`. */
export type Fields<K extends string> = {
  values: Readonly<Record<K, string>>
  /** The sentence for each field, to be shown below it. */
  errors: Readonly<Partial<Record<K, string | null>>>
  /** What an input of the form takes. */
  bind: (name: K) => Bound
  /** Whether all values are right; if not, the first wrong field takes the focus. */
  check: () => boolean
  /** Shows the API's sentence at the field that it begins with, and tells whether there is one. */
  blame: (sentence: string) => boolean
  /** Shows a sentence at a field. */
  complain: (name: K, sentence: string) => true
  set: (name: K, value: string) => void
  /** Puts other values in place of all. */
  reset: (values: Readonly<Record<K, string>>) => void
  ref: RefObject<HTMLFormElement | null>
}

/** Keeps and checks what is typed into a form, whose `ref` is to be set. Nothing is cleared by an error. */
export function useFields<K extends string>(
  initial: Readonly<Record<K, string>>,
  rules: Partial<Record<K, FieldRule>> = {},
): Fields<K> {
  const ref = useRef<HTMLFormElement>(null)
  const [values, setValues] = useState(initial)
  const [errors, setErrors] = useState<Partial<Record<K, string | null>>>({})
  const faultOf = (name: K) => rules[name]?.(values[name]) ?? null
  const focus = (name: K) => ref.current?.querySelector<HTMLElement>(`[name="${name}"]`)?.focus()
  const set = (name: K, value: string) => {
    setValues((before) => ({ ...before, [name]: value }))
    setErrors((before) => ({ ...before, [name]: null }))
  }
  const complain = (name: K, sentence: string): true => {
    setErrors((before) => ({ ...before, [name]: sentence }))
    focus(name)
    return true
  }
  return {
    values,
    errors,
    ref,
    set,
    complain,
    reset: (next) => {
      setValues(next)
      setErrors({})
    },
    bind: (name) => ({
      name,
      value: values[name],
      onChange: (event) => set(name, event.target.value),
      // An empty field is complained about when it is sent, not when somebody passes through it.
      // What the API has complained of stays until the value changes.
      onBlur: () =>
        values[name] !== '' && setErrors((before) => ({ ...before, [name]: faultOf(name) ?? before[name] })),
    }),
    check: () => {
      const wrong = namesOf(initial).filter((name) => faultOf(name) !== null)
      setErrors(Object.fromEntries(namesOf(initial).map((name) => [name, faultOf(name)])) as typeof errors)
      if (wrong[0] !== undefined) focus(wrong[0])
      return wrong.length === 0
    },
    blame: (sentence) => {
      const name = namesOf(initial).find((known) => sentence.match(/^\w+(?=[ [])/)?.[0] === known)
      return name !== undefined && complain(name, sentenceAtField(sentence, name, values[name]))
    },
  }
}

/**
 * The API's sentence about a field in words: "full_name is required." as "Full name is required.", and of a list that is
 * written with commas "environments[0] must …" as "“Pro duction” must …".
 */
export function sentenceAtField(sentence: string, name: string, value: string): string {
  const items = value.split(',').flatMap((item) => item.trim() || [])
  const inWords = sentence
    .replaceAll(new RegExp(`\\b${name}\\[(\\d+)\\]`, 'g'), (_, place) => `“${items[Number(place)] ?? ''}”`)
    .replace(new RegExp(`^${name}\\b`), name.replaceAll('_', ' '))
  return inWords.charAt(0).toLocaleUpperCase() + inWords.slice(1)
}

/** A value that must be there; the sentence says what to write. */
export const needed =
  (sentence: string): FieldRule =>
  (value) =>
    value.trim() === '' ? sentence : null

/** An e-mail address. */
export const address: FieldRule = (value) =>
  /^\S+@\S+\.\S+$/.test(value.trim()) ? null : 'Write a whole address, such as ana@example.org.'

/** A new password. */
export const newPassword: FieldRule = (value) =>
  [...value].length < 8 ? 'A password needs at least 8 characters.' : null

const namesOf = <K extends string>(values: Record<K, unknown>): K[] => Object.keys(values) as K[]
