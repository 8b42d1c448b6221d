/** Texts of audit entries that are not decisions about a call. */

export const auditTemplates = {
  'audit.seal-missing': 'The seal of the audit is missing. The audit has {entries} entries.',
  'audit.seal-unreadable': 'The seal of the audit cannot be read.',
  'audit.entries-missing':
    'The audit has {entries} entries, but its seal was made for {sealed}: entries at the end are missing.',
  'audit.entry-replaced': 'Entry {entry} of the audit is not the one that was sealed.',
  'audit.sealed': '{entries} entries of a version without a seal are sealed from now on.',
  'policy.edited': 'The policy file was edited.',
  'jail.failed':
    'The input of a jailed command was changed: the read-only jail is off for this session, and such commands ask.',
} as const
