"""The chat endpoint: answers in the form of OpenAI's chat completions, which chat pages and SDKs understand."""
