-- The service account that the member who is responsible made a token of, and with which, in one step or several, this token was
-- made. Null where that is the token's own account.
alter table tokens add column branch_id uuid;
