const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Whether a text has the form of an id; a malformed id is not looked up. */
export const isId = (text: string): boolean => UUID.test(text)
