import { expect, test } from 'bun:test'
import { networkOf, siteOf } from '../../src/core/networks.ts'

test.each([
  ['203.0.113.7', '203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64', '2001:db8:1::/48'],
  ['2001:db8:1:2::9', '2001:db8:1:2::/64', '2001:db8:1::/48'],
  ['2001:db8:1:3::9', '2001:db8:1:3::/64', '2001:db8:1::/48'],
  ['2001:db8:2:3::9', '2001:db8:2:3::/64', '2001:db8:2::/48'],
  [null, 'unknown', 'unknown'],
  ['nonsense', 'unknown', 'unknown'],
])('%s is of network %s and site %s', (address, network, site) => {
  expect([networkOf(address), siteOf(address)]).toEqual([network, site])
})
