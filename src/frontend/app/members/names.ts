/** What to call a member: by its name, or else by its address. */
export const nameOf = ({ fullName, email }: { fullName: string; email: string }): string =>
  fullName === '' ? email : fullName

/** The first word of a name. */
export const firstNameOf = (member: { fullName: string; email: string }): string =>
  member.fullName.split(' ')[0] || member.email
