import { useState } from 'react'
import { messageOf } from '../api/errors.ts'

type Act = {
  busy: boolean
  /** The API's sentence where the last attempt was refused. */
  problem: string | null
  setProblem: (problem: string | null) => void
  /** Does something; tells whether it succeeded. While it is under way a second one is not begun. */
  run: (act: () => Promise<unknown>, onProblem?: (error: unknown) => boolean) => Promise<boolean>
}

/** One act of a form or a button: whether it is under way, and the sentence with which it was refused. */
export function useAct(): Act {
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const run: Act['run'] = async (act, onProblem) => {
    if (busy) return false
    setBusy(true)
    setProblem(null)
    try {
      await act()
      return true
    } catch (error) {
      if (!onProblem?.(error)) setProblem(messageOf(error))
      return false
    } finally {
      setBusy(false)
    }
  }
  return { busy, problem, setProblem, run }
}
