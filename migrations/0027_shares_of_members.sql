-- In whose share of what all callers share a member takes part: of the member who invited it, or in whose share that one is.
-- Null: in one of its own, as all have whom somebody with global access invited. An invite keeps it until it is accepted.
alter table members add column share_of uuid;
alter table invites add column share_of uuid;
