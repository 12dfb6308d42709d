"""What the coordinator says: greetings, questions, company facts. One function per kind of saying."""
