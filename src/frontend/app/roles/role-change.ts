export type RoleReference = Readonly<{ id: string; name: string }>

/** Thrown where somebody holds another role by now than the reader was shown. */
export class RoleWasChanged extends Error {
  constructor(
    name: string,
    readonly now: RoleReference,
  ) {
    super(`The role of ${name} was changed meanwhile: it is ${now.name} now.`)
  }
}
