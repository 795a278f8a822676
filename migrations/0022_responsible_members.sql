-- Who is responsible for what is done with a token: the member who made it, or who is responsible for the token with which it
-- was made. Null on tokens that the release before this one makes: then its creator is.
alter table tokens add column responsible_id uuid;
