-- What members were refused, which Home shows: without it, all that strangers were refused is read, too, and anybody may have
-- an account.
create index audit_entries_denied on audit_entries (organisation_id, timestamp desc, id desc)
  where event_type like '%\_refused' and actor_metadata ->> 'role' is not null;
