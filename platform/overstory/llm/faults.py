"""Converts errors of the openai client to our exceptions, and decides whether a request is retried."""

from __future__ import annotations

import datetime
from dataclasses import dataclass

import openai

from overstory.endpoints import LONGEST_MESSAGE_CHARACTERS, cleaned, retry_after
from overstory.errors import AnswerUnusable, LlmBusy, LlmError, LlmRefused, LlmUnreachable, PromptTooLong

PASSING = (408, 409, 425, 429)
"""HTTP status codes of temporary failures. All codes from 500 on except 501 count as temporary failures, too."""

_TOO_LONG = ("context_length_exceeded", "exceed_context_size", "maximum context length", "context size", "too long")
_NO_QUOTA = ("insufficient_quota", "billing_hard_limit_reached")

_KEY_REMEDY = "Set OVERSTORY_LLM_API_KEY to a key that may use this model."
_NAME_REMEDY = "Check OVERSTORY_LLM_MODEL and OVERSTORY_LLM_BASE_URL (which often ends in /v1)."
_REACH_REMEDY = (
    "Check that the endpoint is running and OVERSTORY_LLM_BASE_URL is its address; then try again. Answers so far are"
    " cached."
)


@dataclass(frozen=True, slots=True)
class Fault:
    """Describes how to handle a failed request.

    Attributes:
        error: the error to raise if the request is not retried or all retries fail.
        asked: seconds to wait before a retry, as requested by the endpoint; None if it requested no wait.
    """

    error: LlmError
    retries: int = 0
    asked: float | None = None


def fault_of(error: Exception, *, address: str, seconds: float, key: str | None, retries: int) -> Fault:
    """Decide how to handle an error of the openai client.

    Args:
        address: address of the endpoint, for messages.
        seconds: timeout of the request, for messages.
        key: API key, which is masked in messages.
    """

    def masked(text: str) -> str:
        return cleaned(text, key)

    if isinstance(error.__cause__, LlmError):  # raised by `_ResponseCheck` and wrapped by older clients
        return Fault(error.__cause__)
    if isinstance(error, openai.APITimeoutError | TimeoutError):
        return Fault(
            LlmUnreachable(
                f"{address} did not answer within {seconds:g} seconds.",
                remedy="Raise OVERSTORY_LLM_SECONDS, or lower OVERSTORY_LLM_MAX_TOKENS. The endpoint may have counted"
                " the tokens.",
            ),
            min(1, retries),  # at most one retry, because it usually times out as well, and costs as much again
        )
    if isinstance(error, openai.APIStatusError):
        return _of_status(error, masked(_message_of(error)), address, retries)
    if isinstance(error, openai.APIConnectionError | ConnectionError):
        why = masked(str(error.__cause__ or error))
        return Fault(
            LlmUnreachable(f"The connection to {address} failed: {why}", remedy=_REACH_REMEDY),
            retries,
        )
    return Fault(unusable(address, masked(str(error)) or type(error).__name__))


def broken_off(address: str, characters: int, why: str) -> LlmUnreachable:
    """Return the error for an answer that was received only in part.

    Args:
        why: the reason; "" for a timeout.
    """
    return LlmUnreachable(
        f"The answer of {address} broke off after {characters:,} characters: "
        f"{why[:LONGEST_MESSAGE_CHARACTERS] or 'it timed out.'}",
        remedy="Ask again. If it breaks off every time, raise OVERSTORY_LLM_SECONDS, or lower"
        " OVERSTORY_LLM_MAX_TOKENS.",
    )


def unusable(address: str, why: str) -> AnswerUnusable:
    """Return the error for a response that is not a chat completion."""
    return AnswerUnusable(
        f"The response of {address} is not a chat completion: {why}",
        remedy="Check that OVERSTORY_LLM_BASE_URL is the address of an OpenAI-compatible API (it often ends in /v1).",
    )


def redirected(address: str, elsewhere: str) -> LlmRefused:
    """Return the error for a redirect to a different scheme, host or port."""
    return LlmRefused(
        f"{address} redirects to {elsewhere}, another address. The question and the passages were not sent there.",
        remedy="If you trust that address, set OVERSTORY_LLM_BASE_URL to it.",
    )


def too_long(address: str, most: int) -> AnswerUnusable:
    """Return the error for a response with more than `most` bytes, which is longer than any answer can be."""
    return AnswerUnusable(
        f"The response of {address} is longer than {most / 1e6:.0f} MB; the rest was not read.",
        remedy=_NAME_REMEDY,
    )


def compressed(address: str) -> AnswerUnusable:
    """Return the error for a response that is compressed although the request asked for no compression."""
    return AnswerUnusable(
        f"The response of {address} is compressed, but was requested uncompressed.",
        remedy="Turn off compression at the endpoint, or in the proxy in front of it.",
    )


def _of_status(error: openai.APIStatusError, message: str, address: str, retries: int) -> Fault:
    status = error.status_code
    details = f"{message} {error.code or ''} {error.type or ''}".lower()
    if status in (401, 403):
        return Fault(LlmRefused(f"{address} refused the key ({status}): {message}", remedy=_KEY_REMEDY))
    if status in (400, 413, 422) and any(each in details for each in _TOO_LONG):
        return Fault(
            PromptTooLong(
                f"The request does not fit the model's context: {message}",
                remedy="Ask with fewer or shorter passages, lower OVERSTORY_LLM_MAX_TOKENS, or use a model with a"
                " longer context.",
            )
        )
    if status == 429 and any(each in details for each in _NO_QUOTA):
        return Fault(
            LlmBusy(
                f"The quota at {address} is used up: {message}",
                remedy="Raise the quota there. Answers so far are cached: run the same command to continue.",
            )
        )
    if status in PASSING or (status >= 500 and status != 501):
        asked = retry_after(error.response.headers, datetime.datetime.now(datetime.UTC))
        wait = f" It asks to wait {asked:,.0f} seconds." if asked else ""
        return Fault(
            LlmBusy(
                f"{address} is overloaded or failed ({status}): {message}{wait}",
                remedy="Try again later, or lower OVERSTORY_LLM_AT_ONCE. Answers so far are cached: run the same"
                " command to continue.",
            ),
            retries,
            asked,
        )
    return Fault(LlmRefused(f"{address} refused the request ({status}): {message}", remedy=_NAME_REMEDY))


def _message_of(error: openai.APIStatusError) -> str:
    body = error.body
    inner = body.get("error", body) if isinstance(body, dict) else body
    message = inner.get("message") if isinstance(inner, dict) else inner
    return " ".join(message.split()) if isinstance(message, str) and message.strip() else error.message
