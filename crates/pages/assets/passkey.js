// Replaced by the passkey module.
