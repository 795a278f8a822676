-- The member whose share a member takes part in: whoever invited it, or the one in whose share that one is. Null: it has its
-- own share, like all whom somebody with global access invited. An invite keeps it until it is accepted.
alter table members add column share_of uuid;
alter table invites add column share_of uuid;
