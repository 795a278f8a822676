-- Invites are removed when they are accepted or cancelled, or have expired: the audit log tells of them. Those that were kept
-- had to be changed when their sender was removed, which took longer than a change may where there were very many.
delete from invites where state <> 'pending';
