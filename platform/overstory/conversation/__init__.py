"""Follow-up questions: conversations, and the turns that the command line stores between calls."""

from overstory.conversation.conversation import MOST_TURNS, AskOptions, Conversation, KeptConversation

__all__ = ["MOST_TURNS", "AskOptions", "Conversation", "KeptConversation"]
