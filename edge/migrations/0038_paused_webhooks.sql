-- Operators watch the number of webhooks that the service has paused.
CREATE INDEX webhooks_paused ON webhooks (paused_at_unix) WHERE state = 'paused';
