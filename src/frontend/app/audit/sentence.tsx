import type { Sentence as Pieces } from './facts.ts'

/** A sentence whose names are set off. What people typed is text. */
export const Sentence = ({ pieces }: { pieces: Pieces }) =>
  pieces.map((piece, place) =>
    typeof piece === 'string' ? (
      piece
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a sentence keep their places
      <b key={place}>{piece.name}</b>
    ),
  )
