// `swift build -c release --product programs` builds what ships, since this program depends on it: nothing else is compiled.
print("bjserver, bjclient and bjbots are beside this program.")
