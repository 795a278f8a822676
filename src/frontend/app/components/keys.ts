/** A key as it is called on a system: ⌘ is the key of Apple's, and the others have Ctrl. */
export const keyName = (keys: string, platform: string = navigator.platform): string =>
  /^(Mac|iPhone|iPad|iPod)/.test(platform) ? keys : keys.replace('⌘', 'Ctrl ')
