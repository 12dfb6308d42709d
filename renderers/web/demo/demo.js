// "Ask about it" puts the vehicle's name into the chat; links to the chat put the cursor there.
document.addEventListener("click", (event) => {
  const ask = event.target.closest("[data-ask]");
  const link = event.target.closest("a[href='#chat']");
  if (!ask && !link) return;
  const chat = document.getElementById("chat");
  chat.scrollIntoView({ block: "start" });
  if (ask) window.Ridepass?.write(`${ask.dataset.ask}, `);
  else window.Ridepass?.open();
});
