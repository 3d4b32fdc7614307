"""What a person sees: journeys in a real Chromium, against a server that runs as a user starts it."""
