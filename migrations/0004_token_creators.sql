-- Who created a token. Without a foreign key: it stays when its creator has left. The name is kept for service accounts
-- alone, which leave no history when they are deleted; null on tokens from before.
alter table tokens
  add column created_by uuid,
  add column created_by_name text;
