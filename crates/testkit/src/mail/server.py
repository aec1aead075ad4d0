"""A real SMTP server for one test, by aiosmtpd: each mail that it takes becomes a file in the spool folder."""

import argparse
import asyncio
import email
import email.policy
import json
import logging
import os
import ssl
import warnings

from aiosmtpd.smtp import SMTP, AuthResult

# That it takes passwords without TLS, where a test wants that.
warnings.simplefilter("ignore")
logging.getLogger("mail.log").setLevel(logging.ERROR)

parser = argparse.ArgumentParser()
parser.add_argument("--spool", required=True)
parser.add_argument("--mode", choices=["plain", "starttls", "tls"], default="plain")
parser.add_argument("--port", type=int, default=0)
parser.add_argument("--certificate")
parser.add_argument("--key")
parser.add_argument("--user")
parser.add_argument("--password")
options = parser.parse_args()


class Handler:
    """Takes what it gets, but from some recipients."""

    def __init__(self):
        self.taken = 0
        self.greylisted = set()

    async def handle_RCPT(self, server, session, envelope, address, rcpt_options):
        name = address.split("@")[0]
        if name == "refused":
            return "550 5.1.1 no such user here"
        if name == "greylisted" and address not in self.greylisted:
            self.greylisted.add(address)
            return "451 4.7.1 greylisted, please try again"
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 ok"

    async def handle_DATA(self, server, session, envelope):
        message = email.message_from_bytes(envelope.original_content, policy=email.policy.default)
        self.taken += 1
        taken = {
            "from": envelope.mail_from,
            "to": envelope.rcpt_tos,
            "secured": options.mode == "tls" or session.ssl is not None,
            "user": session.auth_data.login.decode() if session.auth_data else "",
            "subject": str(message["subject"]),
            "sender": str(message["from"]),
            "recipient": str(message["to"]),
            "id": str(message["message-id"]),
            "body": message.get_content(),
            "raw": envelope.original_content.decode("ascii"),
        }
        path = os.path.join(options.spool, f"{self.taken:06}-{os.getpid()}")
        with open(path + ".part", "w", encoding="utf-8") as file:
            json.dump(taken, file)
        os.rename(path + ".part", path + ".json")
        # A test holds the answer back by this file.
        while os.path.exists(os.path.join(options.spool, "hold")):
            await asyncio.sleep(0.02)
        return f"250 2.0.0 queued as {self.taken}"


def authenticate(server, session, envelope, mechanism, data):
    known = data.login.decode() == options.user and data.password.decode() == options.password
    if known:
        return AuthResult(success=True, auth_data=data)
    return AuthResult(success=False, handled=False)


async def main():
    loop = asyncio.get_running_loop()
    context = None
    if options.certificate:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(options.certificate, options.key)
    starttls = options.mode == "starttls"
    handler = Handler()

    def session():
        return SMTP(
            handler,
            hostname="mail.lab",
            tls_context=context if starttls else None,
            require_starttls=starttls,
            authenticator=authenticate if options.user else None,
            auth_required=bool(options.user),
            # Without a password, signing in is not offered.
            auth_require_tls=starttls or not options.user,
            loop=loop,
        )

    at_once = context if options.mode == "tls" else None
    server = await loop.create_server(session, "127.0.0.1", options.port, ssl=at_once)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main())
