-- The service account at whose token a chain of tokens begins: the member who is responsible made that token, with it another
-- one was made, and so on to this one. Null where the chain begins with this token.
alter table tokens add column branch_id uuid;
