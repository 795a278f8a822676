-- Whoever runs a command on the server is an operator: no principal, and without an id.
alter table audit_entries
  drop constraint audit_entries_actor_type_check,
  add constraint audit_entries_actor_type_check check (actor_type in ('user', 'service_account', 'operator')),
  alter column actor_id drop not null,
  add constraint audit_entries_actor_id_check check ((actor_id is null) = (actor_type = 'operator'));
create index audit_entries_by_actor_type on audit_entries (organisation_id, actor_type, timestamp desc, id desc);

-- A link that an operator hands over proves nothing about the account's e-mail address. It may remove the second factors
-- as well: when it is used, so that the account is never open to whoever knows its old password.
alter table email_links
  add column by_operator boolean not null default false,
  add column removes_factors boolean not null default false,
  add constraint email_links_removes_factors_check check (by_operator or not removes_factors);
