-- How a session was opened. Sessions from before were all opened with a password.
alter table sessions
  add column method text not null default 'password'
    constraint sessions_method check (method in ('password', 'passkey', 'sso'));
