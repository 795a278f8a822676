-- The expiry of which people were told by mail; another one, or none, is still to be told of.
alter table secrets add column reminded_expiry timestamptz;
